import { type CheerioAPI, load } from "cheerio";
import { newIp, newSession } from "./factories";

/** Elements of the page, of any kind. */
export type Part = ReturnType<ReturnType<CheerioAPI["root"]>["find"]>;
type Name = string | RegExp;
/** By the labels of fields: what to type or to select, and whether to check. */
type Choices = Record<string, string | boolean>;
type Press = {
  /** Where the button is, if the page has several of this name. */
  within?: Part;
  /** Values of fields by their names, whatever the page says, as somebody sends who writes requests by hand. */
  forged?: Record<string, string | string[]>;
};

const MOST_REDIRECTS = 5;
const PARTS = "section, form, nav, ul, ol, table, dialog, fieldset, figure, [role]";

/**
 * A browser without JavaScript, as far as the console's pages need one: cookies, redirects, links, fields by their labels,
 * and forms sent as such a browser sends them. It comes from an ip of its own.
 */
export class Visitor {
  $: CheerioAPI = load("");
  /** The page as it arrived. */
  html = "";
  url = "";
  status = 0;
  headers = new Headers();
  /** What the answers of the last step, redirects included, told the browser to keep. */
  setCookies: string[] = [];
  readonly cookies = new Map<string, string>();
  /** What a proxy in front of the console says of this visitor. */
  forwardedFor = newIp();

  constructor(readonly origin: string) {}

  /** Signed in by a session as the console would have made it. */
  static async signedIn(origin: string, accountId: number): Promise<Visitor> {
    return Visitor.withSession(origin, await newSession(accountId));
  }

  /** Of a console over another database, whose session is at hand. */
  static withSession(origin: string, session: string): Visitor {
    const visitor = new Visitor(origin);
    visitor.cookies.set("session", session);
    return visitor;
  }

  async goto(path: string): Promise<this> {
    return this.#ask(new URL(path, this.origin), { method: "GET" });
  }

  async reload(): Promise<this> {
    return this.goto(this.url);
  }

  /** The path and the query of the page. */
  get path(): string {
    const { pathname, search } = new URL(this.url);
    return pathname + search;
  }

  /** The text of the page as people read it. */
  get text(): string {
    return this.textOf("body");
  }

  /** The text of elements as people read it. */
  textOf(part: string | Part): string {
    const copy = this.#part(part).clone();
    copy.find("[hidden]").remove();
    return inOneLine(copy.text());
  }

  /** The texts of these elements, one by one. */
  textsOf(part: string | Part): string[] {
    return this.#part(part)
      .toArray()
      .map((element) => this.textOf(this.$(element)));
  }

  /** What the page tells, such as why a form was refused or that it worked. */
  get alerts(): string[] {
    return this.textsOf("[role=alert]").filter(Boolean);
  }

  get statuses(): string[] {
    return this.textsOf("[role=status]").filter(Boolean);
  }

  get heading(): string {
    return this.textOf("h1");
  }

  /** The section, form, navigation, list, table or dialog of this name. @throws when there is none. */
  part(name: Name): Part {
    return this.#required(this.#named(PARTS, name).first(), `part ${name}`);
  }

  /** Whether such a part is there. */
  hasPart(name: Name): boolean {
    return this.#named(PARTS, name).length > 0;
  }

  /** The rows with this text, of a table of this name or of all. */
  rows(text: Name = "", table?: Name): Part {
    const tables = table === undefined ? this.$("table") : this.#named("table", table);
    return tables.find("tr").filter((_, row) => {
      const found = this.textOf(this.$(row));
      return typeof text === "string" ? found.includes(text) : text.test(found);
    });
  }

  /** The links of this name. */
  links(name: Name, within: Part = this.$("body")): Part {
    return this.#named("a[href]", name, within);
  }

  link(name: Name, within?: Part): Part {
    return this.#required(this.links(name, within).first(), `link ${name}`);
  }

  async follow(name: Name, within?: Part): Promise<this> {
    return this.#ask(new URL(this.link(name, within).attr("href") as string, this.url), { method: "GET" });
  }

  /** The buttons of this name that can be pressed. */
  buttons(name: Name, within: Part = this.$("body")): Part {
    return this.#named("button:not([disabled]), input[type=submit]:not([disabled])", name, within);
  }

  /** The field that a label names, whole or by its beginning. @throws when there is none. */
  field(label: string, within: Part = this.$("body")): Part {
    return this.#required(this.#field(label, within), `field ${label}`);
  }

  hasField(label: string, within: Part = this.$("body")): boolean {
    return this.#field(label, within).length > 0;
  }

  /** What stands in a field. */
  value(label: string, within?: Part): string {
    const field = this.field(label, within);
    return String((field.is("textarea") ? field.text() : field.val()) ?? "");
  }

  /** Sets fields, as typing and choosing do, without sending them. */
  fill(choices: Choices, within?: Part): this {
    for (const [label, value] of Object.entries(choices)) {
      const field = this.field(label, within);
      if (typeof value === "boolean") this.#check(field, value);
      else if (field.is("select")) this.#select(field, value);
      else if (field.is("textarea")) field.text(value);
      else field.attr("value", value);
    }
    return this;
  }

  /** The fields of the form of a button, as a browser without JavaScript sends them. */
  fieldsOf(button: Name, within?: Part): [name: string, value: string][] {
    const pressed = this.#required(this.buttons(button, within).first(), `button ${button}`);
    const fields = this.#formOf(pressed).serializeArray();
    const name = pressed.attr("name");
    return [
      ...fields.map(({ name, value }): [string, string] => [name, value]),
      ...(name ? [[name, pressed.attr("value") ?? ""] as [string, string]] : []),
    ];
  }

  /** Sends the form of a button, with these fields set. */
  async press(button: Name, choices: Choices = {}, { within, forged = {} }: Press = {}): Promise<this> {
    const pressed = this.#required(this.buttons(button, within).first(), `button ${button}`);
    const form = this.#formOf(pressed);
    for (const [label, value] of Object.entries(choices)) {
      const isInForm = this.#field(label, form).length > 0;
      this.fill({ [label]: value }, isInForm ? form : within);
    }
    const fields = [
      ...this.fieldsOf(button, within).filter(([name]) => !Object.hasOwn(forged, name)),
      ...Object.entries(forged).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      ),
    ];
    const target = new URL(pressed.attr("formaction") ?? form.attr("action") ?? this.url, this.url);
    if (form.attr("method")?.toLowerCase() !== "post") {
      target.search = new URLSearchParams(fields).toString();
      return this.#ask(target, { method: "GET" });
    }
    return this.send(fields, target);
  }

  /** Sends fields to the page, as its forms do. */
  async send(fields: readonly (readonly [string, string])[], target: string | URL = this.url): Promise<this> {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    return this.#ask(new URL(target, this.url || this.origin), {
      method: "POST",
      body,
      headers: { Origin: this.origin },
    });
  }

  /** The headers of a request from this visitor. */
  requestHeaders(): Record<string, string> {
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return { Cookie: cookies.join("; "), "X-Forwarded-For": this.forwardedFor };
  }

  async #ask(url: URL, init: RequestInit, redirects = 0): Promise<this> {
    const headers = { ...init.headers, ...this.requestHeaders() };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    if (redirects === 0) this.setCookies = [];
    this.setCookies.push(...response.headers.getSetCookie());
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const location = response.headers.get("location");
    const html = await response.text();
    if (location && response.status >= 300 && response.status < 400 && redirects < MOST_REDIRECTS) {
      return this.#ask(new URL(location, url), { method: "GET" }, redirects + 1);
    }
    Object.assign(this, { url: url.href, status: response.status, headers: response.headers, html });
    // What <noscript> holds is part of the page.
    this.$ = load(html, { scriptingEnabled: false });
    this.$("script, style, template").remove();
    return this;
  }

  #keep(cookie: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    const isGone = /Max-Age=0|Expires=Thu, 01 Jan 1970/i.test(cookie);
    if (isGone) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  #part(part: string | Part): Part {
    return typeof part === "string" ? this.$.root().find(part) : part;
  }

  #required(found: Part, what: string): Part {
    if (found.length > 0) return found;
    throw new Error(`No ${what} on ${this.url} (${this.status}): ${this.text.slice(0, 2000)}`);
  }

  /** By the whole name, or else by its beginning. */
  #named(selector: string, name: Name, within: Part = this.$("body")): Part {
    const all = within.find(selector);
    const those = (isIt: (found: string) => boolean) => all.filter((_, one) => isIt(this.nameOf(this.$(one))));
    if (typeof name !== "string") return those((found) => name.test(found));
    const exact = those((found) => found === name);
    return exact.length > 0 ? exact : those((found) => found.startsWith(name));
  }

  /** The name of an element as screen readers say it. */
  nameOf(element: Part): string {
    const by = element.attr("aria-labelledby");
    if (by)
      return inOneLine(
        by
          .split(/\s+/)
          .map((id) => this.$(`[id="${id}"]`).text())
          .join(" "),
      );
    const titled = element.attr("aria-label") ?? (element.is("input") ? element.attr("value") : undefined);
    if (titled !== undefined) return inOneLine(titled);
    if (element.is("a, button")) return this.textOf(element);
    return inOneLine(element.children("caption, legend, figcaption").text());
  }

  #field(label: string, within: Part): Part {
    const labels = within.find("label").toArray();
    const named = (isIt: (text: string) => boolean) => labels.find((one) => isIt(this.textOf(this.$(one))));
    const found = named((text) => text === label) ?? named((text) => text.startsWith(label));
    const fields = "input, select, textarea";
    if (!found) return this.#named(`:is(${fields}):is([aria-label], [aria-labelledby])`, label, within).first();
    const id = this.$(found).attr("for");
    return (id ? this.$(`[id="${id}"]`) : this.$(found).find(fields)).first();
  }

  #formOf(button: Part): Part {
    const id = button.attr("form");
    return this.#required(id ? this.$(`form[id="${id}"]`) : button.parents("form").first(), "form of this button");
  }

  #check(field: Part, isChecked: boolean): void {
    const name = field.attr("name");
    if (field.attr("type") === "radio")
      field.closest("form").find(`input[type=radio][name="${name}"]`).removeAttr("checked");
    if (isChecked) field.attr("checked", "");
    else field.removeAttr("checked");
  }

  #select(field: Part, value: string): void {
    const option = field.find("option").filter((_, one) => this.$(one).attr("value") === value);
    this.#required(option, `choice ${value}`);
    field.find("option").removeAttr("selected");
    option.attr("selected", "");
  }
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
