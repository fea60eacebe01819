"""Methods of maximum likelihood: EM, the exact maximum, mixture reduction."""
