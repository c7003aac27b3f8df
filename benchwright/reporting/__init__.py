"""A benchmark on a page: what its rules did, what they do to its leaderboard, what is wrong with it."""
