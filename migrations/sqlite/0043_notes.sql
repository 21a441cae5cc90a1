-- Words of a note that was changed or removed leave the index at once, so that nothing of an erased text stays in it.
-- contract: it changes an option of the index, which every version of the program can read.
INSERT INTO notes_words (notes_words, rank) VALUES ('secure-delete', 1);
