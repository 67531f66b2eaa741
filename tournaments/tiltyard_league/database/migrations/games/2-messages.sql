ALTER TABLE league_games ADD COLUMN message TEXT NOT NULL DEFAULT '';
UPDATE league_games SET message = message_of_match(key) WHERE fault = 0;
