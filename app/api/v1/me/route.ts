import { serializeAccount } from "@/lib/accounts/accounts";
import { endpoint } from "@/lib/api/endpoint";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/me",
  ({ account }) => serializeAccount(account),
  // Authentication has read all of it.
  { weight: "free" },
);
