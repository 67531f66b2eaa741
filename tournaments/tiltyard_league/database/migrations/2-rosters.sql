-- What the list of students has in the place of a team: 'group NAME', or 'alone ID' of somebody without a group.
-- A team can be renamed, and so can a student; the next list still finds it by this.
ALTER TABLE teams ADD COLUMN roster_key TEXT;
-- Where the members of a team went, and from where a member came.
ALTER TABLE teams ADD COLUMN merged_into INTEGER REFERENCES teams (id);
ALTER TABLE members ADD COLUMN merged_from INTEGER REFERENCES teams (id);
UPDATE teams SET roster_key = 'group ' || name WHERE kind = 'student';
UPDATE teams SET roster_key = 'alone ' || (SELECT roster_id FROM members WHERE members.team = teams.id)
    WHERE kind = 'student' AND (SELECT count(*) FROM members WHERE members.team = teams.id) = 1 AND EXISTS
    (SELECT 1 FROM members WHERE members.team = teams.id AND teams.name IN (members.name, members.name || ' (' || roster_id || ')'));
UPDATE teams SET merged_into = (SELECT other.id FROM teams AS other WHERE teams.reason = 'merged into ' || other.pseudonym)
    WHERE state = 'gone' AND kind = 'student';
CREATE UNIQUE INDEX teams_by_roster_key ON teams (roster_key);
