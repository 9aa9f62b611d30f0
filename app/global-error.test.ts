import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import GlobalError from "./global-error";
import robots from "./robots";

test("a failed layout becomes its own document with the log's number and a retry", () => {
  const error = Object.assign(new Error("secret"), { digest: "4711" });
  const html = renderToStaticMarkup(createElement(GlobalError, { error, retry() {} }));
  expect(html).toMatch(/^<html lang="en" class="failed"><head>.*<link rel="stylesheet" href="\/error\.css"\/>/);
  expect(html).toContain("Something went wrong on our side");
  expect(html).toContain("For the operator: error 4711");
  expect(html).toContain("Try again</button>");
  expect(html).not.toContain("secret");
});

test("robots.txt keeps search engines out of the dashboard", () => {
  expect(robots()).toEqual({ rules: { userAgent: "*", disallow: "/dashboard" } });
});
