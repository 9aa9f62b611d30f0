/** A name, a hostname or the like, as it was typed: a translation of the page leaves it alone, and so does the text around it. */
export function Name(props: React.ComponentProps<"bdi">) {
  return <bdi translate="no" {...props} />;
}

/** The name that a sentence is about. */
export function StrongName({ children, ...props }: React.ComponentProps<"strong">) {
  return (
    <strong {...props}>
      <Name>{children}</Name>
    </strong>
  );
}

/** Whose button or link this is, for screen readers. It follows a space. */
export function UnseenName({ children }: { children: React.ReactNode }) {
  return (
    <span className="visually-hidden" translate="no">
      {children}
    </span>
  );
}

/** In a line of text: something that is typed or read letter by letter. */
export function Code(props: React.ComponentProps<"code">) {
  return <code translate="no" {...props} />;
}
