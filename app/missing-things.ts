import { DASHBOARD, GAME_SERVICES, type OwnKind, TOKEN_PAGE } from "@/lib/page-paths";

type Missing = { title: string; why: string; home: { href: string; label: string } };

/** What a page says of a thing that the account does not have. What other accounts have is not told. */
export const MISSING_THINGS: Readonly<Record<OwnKind, Missing>> = {
  server: {
    title: "You have no such server",
    why: "It may have been removed, or the URL may be mistyped.",
    home: { href: DASHBOARD, label: "Go to your servers" },
  },
  service: {
    title: "You have no such game service",
    why: "It may have been deleted, it may no longer be shared with you, or the URL may be mistyped.",
    home: { href: GAME_SERVICES, label: "Go to your game services" },
  },
  token: {
    title: "You have no such token",
    why: "It may have been forgotten 90 days after its end, or the URL may be mistyped.",
    home: { href: TOKEN_PAGE, label: "Go to your tokens" },
  },
};
