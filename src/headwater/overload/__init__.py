"""What gets the CPU when there is too little: update streams (UpStream) and joins (JAQPOT)."""
