declare const brand: unique symbol;

/** A primitive that carries its unit or meaning in its type: no bare string or number crosses a module. */
export type Brand<Primitive, Name extends string> = Primitive & { readonly [brand]: Name };
