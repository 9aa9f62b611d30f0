type Standing = { real: object };

/**
 * Lets objects of a class stand in for those of a standard one, which are dear to make: what they lack is asked of
 * `real`. Fields of their own come first. @returns `own`
 */
export function standInFor<Args extends unknown[], Own extends Standing, Standard extends object>(
  own: new (...args: Args) => Own,
  standard: { prototype: Standard },
): new (
  ...args: Args
) => Own & Standard {
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(standard.prototype))) {
    if (Object.hasOwn(own.prototype, name)) continue;
    function read(this: Standing) {
      return Reflect.get(this.real, name);
    }
    function call(this: Standing, ...args: unknown[]) {
      return Reflect.apply(value, this.real, args);
    }
    Object.defineProperty(own.prototype, name, get ? { get: read } : { value: call });
  }
  // Next asks whether a handler returned a Response.
  Object.setPrototypeOf(own.prototype, standard.prototype);
  return own as new (
    ...args: Args
  ) => Own & Standard;
}
