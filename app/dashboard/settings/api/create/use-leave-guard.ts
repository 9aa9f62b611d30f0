"use client";

import { useEffect } from "react";
import { followedLink } from "@/app/ui/followed-link";

type NavigateEvent = Event & { navigationType: string };

/**
 * While `isOn`, asks before the person leaves the page: by link, by a form with `data-leaves-page`, by Back, by reloading
 * or by closing the page. It needs JavaScript.
 */
export function useLeaveGuard(isOn: boolean, question: string): void {
  useEffect(() => {
    if (!isOn) return;
    const end = new AbortController();
    const { signal } = end;
    let hasAgreed = false;
    /** Cancels the event unless the person agrees to leave. */
    const ask = (event: Event) => {
      hasAgreed ||= window.confirm(question);
      if (hasAgreed) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const onClick = (event: MouseEvent) => {
      const link = followedLink(event);
      if (link && !link.getAttribute("href")?.startsWith("#")) ask(event);
    };
    const onSubmit = (event: SubmitEvent) => {
      if (event.target instanceof HTMLElement && "leavesPage" in event.target.dataset) ask(event);
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!hasAgreed) event.preventDefault();
    };
    const onNavigate = (event: Event) => {
      if ((event as NavigateEvent).navigationType === "traverse" && event.cancelable) ask(event);
    };
    document.addEventListener("click", onClick, { capture: true, signal });
    document.addEventListener("submit", onSubmit, { capture: true, signal });
    window.addEventListener("beforeunload", onUnload, { signal });
    // Some browsers lack this API. There, Back within the console does not ask.
    const { navigation } = window as { navigation?: EventTarget };
    navigation?.addEventListener("navigate", onNavigate, { signal });
    return () => end.abort();
  }, [isOn, question]);
}
