"""phreeqc-mcq: four-option questions whose wrong options are the results of named mistakes; being built."""
