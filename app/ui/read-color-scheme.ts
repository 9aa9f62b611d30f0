import { cookies } from "next/headers";
import { COLOR_SCHEME_COOKIE, type ColorScheme, parseColorScheme } from "@/lib/accounts/color-scheme";

/** The scheme that this browser was told to use. */
export async function readColorScheme(): Promise<ColorScheme> {
  return parseColorScheme((await cookies()).get(COLOR_SCHEME_COOKIE)?.value);
}
