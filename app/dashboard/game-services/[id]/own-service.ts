import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { NotFoundError } from "@/lib/failures";
import { getServiceDetails, type ServiceDetails } from "@/lib/game-services/details";
import { servicePath } from "@/lib/page-paths";
import { requireAccount, type SignedInAccount } from "@/lib/sign-in/sessions";

/** Finds the service of a page for any account that may see it. Shows the not-found page otherwise. Read once for a request. */
export const visibleService = cache(async (idText: string): Promise<ServiceDetails & { account: SignedInAccount }> => {
  const account = await requireAccount();
  try {
    return { ...(await getServiceDetails(account, idText)), account };
  } catch (error) {
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
});

/** Finds the service of an owner-only page. Redirects other viewers to the service's own page. */
export async function ownService(idText: string): Promise<ServiceDetails & { account: SignedInAccount }> {
  const details = await visibleService(idText);
  if (details.relation !== "owner") redirect(servicePath(details.service.id));
  return details;
}
