import { VARIABLE_NAMES } from "@/lib/process/env-variables";

// Before each test file: no variable of the shell or a .env file changes what a test sees.
for (const name of VARIABLE_NAMES) process.env[name] = "";
