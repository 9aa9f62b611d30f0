"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/**
 * Whether the scripts of the page run. The server and a browser whose scripts did not arrive say no: what needs them is not
 * there, or holds its place with `not-yet`.
 */
export function useScripts(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
