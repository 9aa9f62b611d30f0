import type { AccountRole } from "@/lib/accounts/accounts";

export const ROLE_NAMES: Readonly<Record<AccountRole, string>> = {
  customer: "Customer",
  support: "Support",
  admin: "Administrator",
};
