/** The link that a click follows in this tab, or null. `data-stays` marks links that JavaScript handles on the page. */
export function followedLink(event: MouseEvent): HTMLAnchorElement | null {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  return link instanceof HTMLAnchorElement && isPlain && !link.target && !("stays" in link.dataset) ? link : null;
}
