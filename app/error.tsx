"use client";

import { Fault, type FaultProps } from "./ui/fault";
import { SiteHeader } from "./ui/site-header";

/** For a page outside the dashboard, and for a dashboard that cannot even tell who is signed in. */
export default function ErrorPage(props: FaultProps) {
  return (
    <>
      <SiteHeader />
      <Fault {...props} />
    </>
  );
}
