"""What a league knows of its people and of what they handed in; and its games, in the tournament's store."""
