/** Where a proxy of the tests connects to, instead of the address that it is asked for. Without an entry it refuses. */
export interface Routes {
  find(authority: string): { readonly host: string; readonly port: number } | undefined
}

/** `ports`: a port of 127.0.0.1 by `HOST:PORT`. `asked` is called with every address. */
export const routesOf = (
  ports: { readonly [authority: string]: number },
  asked: (authority: string) => void = () => undefined,
): Routes => ({
  find(authority) {
    asked(authority)
    const port = ports[authority]
    return port === undefined ? undefined : { host: '127.0.0.1', port }
  },
})
