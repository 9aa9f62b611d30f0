import type { MetadataRoute } from "next";
import { DASHBOARD } from "@/lib/page-paths";

/** `/robots.txt`: what is behind sign-in is nothing for a search engine. Other pages say themselves that they are not indexed. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: "*", disallow: DASHBOARD } };
}
