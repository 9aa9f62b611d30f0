"use client";

import { useEffect } from "react";
import "./translated-texts";
import { restoreTyped } from "./typed-text";

/** What scripts do on every page besides what is seen. */
export function InBrowser() {
  useEffect(restoreTyped, []);
  return null;
}
