"""How the schema came about, one file a step; :func:`sottovoce.store.open_store` runs them."""
