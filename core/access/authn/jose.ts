/** The parts of jose that the server uses, which is loaded when a token is signed or verified. Without encryption, which is most of that package. */
export { compactVerify, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose'
