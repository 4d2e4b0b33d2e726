/** A value, or a promise of one. Usually a value, because a promise costs a turn of the microtask queue and a kilobyte. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: synchronously, or when the promise resolves. Errors of `next` are thrown or rejected accordingly. */
export function then<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** All of these values: at once if none of them is a promise. */
export function all<const T extends readonly unknown[]>(values: { readonly [at in keyof T]: MaybePromise<T[at]> }): MaybePromise<T> {
  return values.some((value) => value instanceof Promise)
    ? (Promise.all(values) as Promise<unknown> as Promise<T>)
    : (values as unknown as T)
}
