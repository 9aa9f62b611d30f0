import { FocusTarget } from "./focus-target";

const ICONS = {
  done: "M4 10.5 8.2 14.5 16 6",
  warning: "M10 6v5M10 14v.1",
  danger: "M10 6v5M10 14v.1",
} as const;

type Props = {
  tone: keyof typeof ICONS;
  on?: unknown;
  /** Stays at the top of the screen, for a page that keeps its scroll position. */
  isSticky?: boolean;
  /** Leaves the focus where it is, for pages whose next step is the focused field. */
  isQuiet?: boolean;
  children: React.ReactNode;
};

/** Shows the result of the last step. It takes the focus, so that nobody has to look for it. */
export function Notice({ tone, on, isSticky = false, isQuiet = false, children }: Props) {
  const content = (
    <>
      <svg
        viewBox="0 0 20 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        aria-hidden="true"
      >
        {tone !== "done" && <circle cx="10" cy="10" r="8" strokeWidth="1.75" />}
        <path d={ICONS[tone]} strokeLinejoin="round" />
      </svg>
      <span>{children}</span>
    </>
  );
  const attributes = {
    role: tone === "danger" ? "alert" : "status",
    className: `notice ${tone} ${isSticky ? "sticky" : ""}`,
  } as const;
  if (isQuiet) return <div {...attributes}>{content}</div>;
  return (
    <FocusTarget as="div" on={on} {...attributes}>
      {content}
    </FocusTarget>
  );
}
