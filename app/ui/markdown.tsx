import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { Fragment } from "react";
import { CodeBlock } from "./code-block";
import { Link } from "./link";
import { Code } from "./name";

/** A heading with what stands below it. What stands before the first heading has no title. */
export type Part = { id: string; title: string; blocks: Block[] };
export type Block = MarkedToken;

/** The paragraphs, lists and other blocks of a text in Markdown. */
export function blocksOf(text: string): Block[] {
  return (lexer(text) as Block[]).filter(({ type }) => type !== "space");
}

/** Divides blocks at their headings of one depth. A heading may end in its name in the URL, `{#name}`. */
export function partsOf(blocks: readonly Block[], depth: number): Part[] {
  const parts: Part[] = [{ id: "", title: "", blocks: [] }];
  for (const block of blocks) {
    if (block.type === "heading" && block.depth === depth) parts.push({ ...headingOf(block), blocks: [] });
    else parts.at(-1)?.blocks.push(block);
  }
  return parts.filter(({ title, blocks: own }) => title !== "" || own.length > 0);
}

function headingOf({ text }: Tokens.Heading): { id: string; title: string } {
  const [, title = text, id = ""] = /^(.+) \{#([\w-]+)\}$/.exec(text) ?? [];
  return { id, title };
}

type Props = {
  blocks: readonly Block[];
  /** Shows a block in a way of its own; nothing: in the usual way. `caption`: of lines to copy. */
  special?: (block: Block, caption: string) => React.ReactNode;
};

/** Blocks of Markdown as a page shows them. A paragraph that ends in a colon is the caption of the code behind it. */
export function Markdown({ blocks, special }: Props) {
  return blocks.map((block, index) => {
    if (isCaption(block, blocks[index + 1])) return null;
    const before = blocks[index - 1];
    const caption = isCaption(before, block) ? before.text.slice(0, -1) : "";
    // The blocks of a text never change their order.
    const key = `${index} ${block.type}`;
    return <Fragment key={key}>{special?.(block, caption) ?? usual(block, caption)}</Fragment>;
  });
}

function isCaption(block: Block | undefined, next: Block | undefined): block is Tokens.Paragraph {
  return block?.type === "paragraph" && block.text.endsWith(":") && next?.type === "code";
}

function usual(block: Block, caption: string): React.ReactNode {
  switch (block.type) {
    case "heading": {
      const { id, title } = headingOf(block);
      return <h3 id={id || undefined}>{title}</h3>;
    }
    case "list":
      return (
        <ul className="bullets">
          {block.items.map((item) => (
            <li key={item.text}>
              <Words of={item.tokens} />
            </li>
          ))}
        </ul>
      );
    case "code":
      return <CodeBlock label={caption} text={block.text} />;
    case "paragraph":
      return (
        <p>
          <Words of={block.tokens} />
        </p>
      );
    default:
      return block.raw;
  }
}

/** A text with its code and its links; of other marks only their words. */
export function Words({ of: tokens = [] }: { of: Token[] | undefined }) {
  return (tokens as MarkedToken[]).map((token, index) => {
    // The pieces of a text never change their order.
    const key = `${index} ${token.type}`;
    if (token.type === "codespan") return <Code key={key}>{token.text}</Code>;
    if (token.type === "link") return <WordsLink key={key} link={token} />;
    if ("tokens" in token) return <Words key={key} of={token.tokens} />;
    return "text" in token ? token.text : token.raw;
  });
}

function WordsLink({ link: { href, tokens } }: { link: Tokens.Link }) {
  const words = <Words of={tokens} />;
  // The client router handles pages only.
  if (/^\/(?:dashboard|sign-in)/.test(href)) return <Link href={href}>{words}</Link>;
  return (
    <a href={href} download={href.startsWith("/recipes/grafana/") || undefined}>
      {words}
    </a>
  );
}
