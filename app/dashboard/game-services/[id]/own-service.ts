import { notFound, redirect } from "next/navigation";
import { servicePath } from "@/app/paths";
import { NotFoundError } from "@/lib/failures";
import { getServiceDetails, type ServiceDetails } from "@/lib/game-services/details";
import { requireAccount, type SignedInAccount } from "@/lib/sign-in/sessions";

/** The service of a page that every account opens that may see it; else the page that says there is no such page. */
export async function visibleService(idText: string): Promise<ServiceDetails & { account: SignedInAccount }> {
  const account = await requireAccount();
  try {
    return { ...(await getServiceDetails(account, idText)), account };
  } catch (error) {
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}

/** The service of a page that is its owner's alone; others who may see the service are sent to its page. */
export async function ownService(idText: string): Promise<ServiceDetails & { account: SignedInAccount }> {
  const details = await visibleService(idText);
  if (details.relation !== "owner") redirect(servicePath(details.service.id));
  return details;
}
