/** Reason phrases of HTTP/1.1, which many clients show in their errors: those that the reference sends (Go, `net/http/status.go`). */
import { STATUS_CODES } from 'node:http'

const phrases: { readonly [status: number]: string | undefined } = {
  ...STATUS_CODES,
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  418: "I'm a teapot",
  509: undefined,
}

/** The phrase of a status, such as `Not Found`; `status code 599` for one that has none. */
export const reasonPhrase = (status: number): string => phrases[status] ?? `status code ${status}`
