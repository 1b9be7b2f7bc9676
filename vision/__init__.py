"""From light to a Reading: cameras, pictures, the reader. Knows no games, players or stakes."""
