import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { cache } from "react";
import { orNotFoundPage } from "@/app/dashboard/or-not-found-page";
import { getServiceDetails, type ServiceDetails } from "@/lib/game-services/details";
import { servicePath } from "@/lib/page-paths";
import { requireAccount, type SignedInAccount } from "@/lib/sign-in/sessions";

/** Finds the service of a page for any account that may see it. Shows the not-found page otherwise. Read once for a request. */
export const visibleService = cache(async (idText: string): Promise<ServiceDetails & { account: SignedInAccount }> => {
  const account = await requireAccount();
  return { ...(await orNotFoundPage(getServiceDetails(account, idText))), account };
});

/** Finds the service of an owner-only page. Redirects other viewers to the service's own page. */
export async function ownService(idText: string): Promise<ServiceDetails & { account: SignedInAccount }> {
  const details = await visibleService(idText);
  if (details.relation !== "owner") redirect(servicePath(details.service.id));
  return details;
}

/** The `generateMetadata` of a page of one service. */
export function serviceMetadata(titleOf: (name: string) => string) {
  return async ({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> => {
    const { service } = await visibleService((await params).id);
    return { title: titleOf(service.name) };
  };
}
