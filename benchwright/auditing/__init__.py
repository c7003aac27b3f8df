"""What a benchmark's rules do to its size and to its leaderboard: variants, their rows and scores, what matters."""
