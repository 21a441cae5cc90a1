-- Compares texts as all other tables do, by their bytes: an index of texts that are compared otherwise does not find the
-- rows of a tenant whose name comes from another table.
-- contract: an older program reads and writes the same texts
ALTER TABLE agenda_turn
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN turn TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE asked
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN request_key TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN text TYPE TEXT COLLATE "C",
    ALTER COLUMN dialogue TYPE TEXT COLLATE "C",
    ALTER COLUMN answer TYPE TEXT COLLATE "C",
    ALTER COLUMN trace TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE assertion
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN predicate TYPE TEXT COLLATE "C",
    ALTER COLUMN object TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE classification
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN request_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN message TYPE TEXT COLLATE "C",
    ALTER COLUMN context TYPE TEXT COLLATE "C",
    ALTER COLUMN mode TYPE TEXT COLLATE "C",
    ALTER COLUMN reading TYPE TEXT COLLATE "C",
    ALTER COLUMN intent TYPE TEXT COLLATE "C",
    ALTER COLUMN domain TYPE TEXT COLLATE "C",
    ALTER COLUMN risk TYPE TEXT COLLATE "C",
    ALTER COLUMN stage TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE conversation_goal_journal
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN event_type TYPE TEXT COLLATE "C",
    ALTER COLUMN payload TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE conversation_goals
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN goal_type TYPE TEXT COLLATE "C",
    ALTER COLUMN status TYPE TEXT COLLATE "C",
    ALTER COLUMN description TYPE TEXT COLLATE "C",
    ALTER COLUMN next_action TYPE TEXT COLLATE "C",
    ALTER COLUMN slots TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE conversation_session
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN session TYPE TEXT COLLATE "C",
    ALTER COLUMN next_phrase TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE entity
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN type TYPE TEXT COLLATE "C",
    ALTER COLUMN key TYPE TEXT COLLATE "C",
    ALTER COLUMN alias_jsonb TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE modifier
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN target_kind TYPE TEXT COLLATE "C",
    ALTER COLUMN key TYPE TEXT COLLATE "C",
    ALTER COLUMN value TYPE TEXT COLLATE "C",
    ALTER COLUMN unit TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE obligation
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN kind TYPE TEXT COLLATE "C",
    ALTER COLUMN details_jsonb TYPE TEXT COLLATE "C",
    ALTER COLUMN status TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE plant_ball
    ALTER COLUMN tenant TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE relation
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN rel_type TYPE TEXT COLLATE "C",
    ALTER COLUMN attrs_jsonb TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE run_plan
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN status TYPE TEXT COLLATE "C",
    ALTER COLUMN domain TYPE TEXT COLLATE "C",
    ALTER COLUMN risk TYPE TEXT COLLATE "C",
    ALTER COLUMN body TYPE TEXT COLLATE "C",
    ALTER COLUMN verdict TYPE TEXT COLLATE "C",
    ALTER COLUMN method TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE source
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN kind TYPE TEXT COLLATE "C",
    ALTER COLUMN uri TYPE TEXT COLLATE "C",
    ALTER COLUMN info_jsonb TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE standing_obligation
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN user_key TYPE TEXT COLLATE "C",
    ALTER COLUMN kind TYPE TEXT COLLATE "C",
    ALTER COLUMN thing TYPE TEXT COLLATE "C",
    ALTER COLUMN predicate TYPE TEXT COLLATE "C",
    ALTER COLUMN digest TYPE TEXT COLLATE "C",
    ALTER COLUMN method TYPE TEXT COLLATE "C",
    ALTER COLUMN goal TYPE TEXT COLLATE "C";
