"""What others run: reports counted, estimated, joined and randomized where the data already is."""
