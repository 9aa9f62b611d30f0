import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { connection } from "next/server";
import { isForOtherHost } from "@/lib/http/own-origin";
import { env } from "@/lib/process/env";
import { InBrowser } from "./ui/in-browser";
import { OtherAddress } from "./ui/other-address";
import { readColorScheme } from "./ui/read-color-scheme";
import "./tokens.css";
import "./globals.css";

export const metadata: Metadata = {
  title: { template: "%s · Console", default: "Console" },
  description: "One score for every server with the reasons for it, protection for game servers, and a read-only API.",
  icons: {
    icon: [{ url: "/favicon.svg", type: "image/svg+xml" }, { url: "/favicon.ico" }],
    // A style sheet, not an icon: the document of a failed page contains only our metadata, so the link must stand here.
    // See the file.
    other: [{ rel: "stylesheet", url: "/error.css" }],
  },
  referrer: "same-origin",
  robots: { index: false, follow: false },
};

/** Colours of the browser's own frame. They repeat `--canvas` of tokens.css. */
const FRAME_COLORS = { light: "#f7f8f7", dark: "#0e1111" } as const;

export async function generateViewport(): Promise<Viewport> {
  const scheme = await readColorScheme();
  if (scheme !== "system") return { colorScheme: scheme, themeColor: FRAME_COLORS[scheme] };
  return {
    colorScheme: "light dark",
    themeColor: [
      { media: "(prefers-color-scheme: light)", color: FRAME_COLORS.light },
      { media: "(prefers-color-scheme: dark)", color: FRAME_COLORS.dark },
    ],
  };
}

export default async function Layout({ children }: { children: React.ReactNode }) {
  // Every page is rendered for its own request: only then do its scripts carry the nonce of its Content-Security-Policy.
  await connection();
  const scheme = await readColorScheme();
  const { baseUrl } = env;
  const isOtherHost = baseUrl !== undefined && isForOtherHost(await headers(), baseUrl);
  return (
    <html lang="en" data-color-scheme={scheme === "system" ? undefined : scheme}>
      <body>
        <a className="skip-link" href="#main">
          Skip to content
        </a>
        {baseUrl && <OtherAddress baseUrl={baseUrl} isOtherHost={isOtherHost} />}
        {children}
        <InBrowser />
      </body>
    </html>
  );
}
