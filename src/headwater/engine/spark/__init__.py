"""A Spark for every site: sessions, Spark Connect, heartbeats, what work cost."""
