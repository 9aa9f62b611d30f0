const shared = globalThis as Record<symbol, unknown>;

/**
 * The one value of this name in this process, created at the first call. Next bundles pages, route handlers and the
 * proxy apart, each with its own copy of every module, so what must exist once cannot live in a module.
 */
export function perProcess<Value>(name: string, create: () => Value): Value {
  const key = Symbol.for(`console-api.${name}`);
  if (!(key in shared)) shared[key] = create();
  return shared[key] as Value;
}
