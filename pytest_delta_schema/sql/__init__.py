"""How it is said: actions in, SQL of the Unity Catalog dialect out; the only room that writes SQL from names."""
