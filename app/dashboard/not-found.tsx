import type { Metadata } from "next";
import { DASHBOARD } from "@/lib/page-paths";
import { NoSuchPage } from "../ui/no-such-page";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return <NoSuchPage home={{ href: DASHBOARD, label: "Go to your servers" }} />;
}
