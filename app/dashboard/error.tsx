"use client";

import { Fault, type FaultProps } from "../ui/fault";

/** Stands in the frame of the dashboard, with its navigation and the way out. */
export default function ErrorPage(props: FaultProps) {
  return <Fault {...props} />;
}
