// The eSIM API below /esim, and the console for the staff.
import { service } from "../../../service"
import * as Staff from "../../../staff"

const isForStaff = ({ url }: Request) => new URL(url).pathname.startsWith("/esim/admin")

const handle = (request: Request) =>
  isForStaff(request) && Staff.nameOf(request.headers) === null ? Staff.challenge() : service().handler(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
