import type { Metadata, Viewport } from "next";
import { connection } from "next/server";
import "./tokens.css";
import "./globals.css";

export const metadata: Metadata = {
  title: { template: "%s · Console", default: "Console" },
  description: "A read-only JSON API for your servers, and the page where you manage its access tokens.",
  icons: {
    icon: [{ url: "/favicon.svg", type: "image/svg+xml" }, { url: "/favicon.ico" }],
    // No icon: metadata is all of ours that stands in the document of a failed page, see the file.
    other: [{ rel: "stylesheet", url: "/error.css" }],
  },
  referrer: "same-origin",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfbfa" },
    { media: "(prefers-color-scheme: dark)", color: "#0e1111" },
  ],
};

export default async function Layout({ children }: { children: React.ReactNode }) {
  // Every page is rendered for its own request: only then do its scripts carry the nonce of its Content-Security-Policy.
  await connection();
  return (
    <html lang="en">
      <body>
        <a className="skip-link" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
}
