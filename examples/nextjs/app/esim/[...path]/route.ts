// The eSIM API below /esim.
import { service } from "../../../service"

const handle = (request: Request) => service().handler(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
