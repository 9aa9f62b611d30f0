"use client";

// A browser that translates a page puts elements of its own (<font>) in the place of its texts. React goes on with the texts
// that it made: what it writes into them would stay unseen, and it throws where it removes one, or inserts something before
// one, that is no longer there. So a text comes back to its place when React touches it, and the browser translates it anew.

/** What a translation put in the place of a text. */
const placed = new WeakMap<Node, ChildNode>();

function follow(observer: MutationObserver, records: MutationRecord[]): void {
  for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    if (type === "characterData") putBack(target);
    for (const text of removedNodes) {
      const font = [...addedNodes, previousSibling, nextSibling].find((node) => node?.nodeName === "FONT");
      if (!(text instanceof Text) || !font) continue;
      placed.set(text, font as ChildNode);
      observer.observe(text, { characterData: true });
    }
  }
}

function putBack(text: Node): void {
  const font = placed.get(text);
  placed.delete(text);
  if (font?.isConnected) font.replaceWith(text);
}

/** Lets React find its texts in a translated page. It acts only where a text was replaced; all else is as it was. */
function keepTexts(): void {
  const observer = new MutationObserver((records) => follow(observer, records));
  observer.observe(document, { childList: true, subtree: true });
  const { removeChild, insertBefore } = Node.prototype;
  const find = (parent: Node, child: Node | null) => {
    if (child === null || child.parentNode === parent) return;
    follow(observer, observer.takeRecords());
    putBack(child);
  };
  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    find(this, child);
    return removeChild.call(this, child) as T;
  };
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    find(this, before);
    return insertBefore.call(this, node, before) as T;
  };
}

if (typeof window !== "undefined") keepTexts();
