// Plain JavaScript, because the start of the console runs it before anything is bundled.

/**
 * The one value of this name in this process, created at the first call. Next bundles pages, route handlers and the proxy
 * apart, and our build bundles the server with the handlers of machine paths: each has a copy of every module, so what
 * must exist once cannot live in a module. `per-process.test.ts` looks for what does.
 * @template Value
 * @param {string} name
 * @param {() => Value} create
 * @returns {Value}
 */
export function perProcess(name, create) {
  const key = Symbol.for(`console-api.${name}`);
  if (!(key in globalThis)) Reflect.set(globalThis, key, create());
  return Reflect.get(globalThis, key);
}
