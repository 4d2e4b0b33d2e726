/** Whether this is the long run: `npm run test:soak`. */
export const soak = process.env['APISERVER_SOAK'] === '1'

/** How often something is tried: a few times by default, many times in the long run. */
export const trials = (few: number, many: number) => (soak ? many : few)
