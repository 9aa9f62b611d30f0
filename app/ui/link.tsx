import NextLink from "next/link";

/** A link to a page of the console. Pages are rendered when somebody opens them, and none ahead. */
export function Link(props: React.ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
