"use client";

import { Fault, type FaultProps } from "./ui/fault";

/** For a failed layout, which no other error page is inside of. It has none of our styles, so `/error.css` has its own. */
export default function GlobalError(props: FaultProps) {
  return (
    <html lang="en" className="failed">
      <head>
        <title>Something went wrong · Console</title>
        <link rel="stylesheet" href="/error.css" />
      </head>
      <body>
        <Fault {...props} />
      </body>
    </html>
  );
}
