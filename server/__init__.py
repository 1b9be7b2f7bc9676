"""Where tower, camera, games and log meet, and what people see of it."""
