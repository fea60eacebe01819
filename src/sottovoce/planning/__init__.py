"""What a survey would cost and achieve, before it runs."""
