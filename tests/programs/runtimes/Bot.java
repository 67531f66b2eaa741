// Plays by the first legal move: one of Advance with "white IN OUT" or "black IN OUT", without a word those of Filler.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

public class Bot {
    public static void main(String[] words) throws IOException {
        if (words.length == 3) move(words[0].equals("white"), words[1], words[2]);
        else fill();
    }

    // Advance

    static void move(boolean white, String given, String answer) throws IOException {
        String text = String.join("", Files.readAllLines(Paths.get(given)));
        for (char[] board : boards(text.toCharArray(), white)) {
            if (!isSafe(board, white)) continue;
            StringBuilder moved = new StringBuilder();
            for (int row = 0; row < 9; row++) moved.append(board, 9 * row, 9).append('\n');
            Files.write(Paths.get(answer), moved.toString().getBytes());
            return;
        }
        System.exit(1);
    }

    static boolean isSafe(char[] board, boolean white) {
        for (char[] next : boards(board, !white)) {
            if (new String(next).indexOf(white ? 'G' : 'g') < 0) return false;
        }
        return true;
    }

    static char at(char[] board, int row, int column) {
        return row < 0 || row > 8 || column < 0 || column > 8 ? ' ' : board[9 * row + column];
    }

    static boolean isOf(boolean white, char piece) {
        return white ? Character.isUpperCase(piece) : Character.isLowerCase(piece);
    }

    static boolean isPrey(char[] board, boolean white, int row, int column) {
        char guard = white ? 's' : 'S';
        return isOf(!white, at(board, row, column)) && at(board, row - 1, column) != guard && at(board, row + 1, column) != guard
            && at(board, row, column - 1) != guard && at(board, row, column + 1) != guard;
    }

    // All boards after a move, also those in which the General is in danger.
    static List<char[]> boards(char[] board, boolean white) {
        List<char[]> found = new ArrayList<>();
        for (int place = 0; place < 81; place++) {
            if (!isOf(white, board[place])) continue;
            for (int down = -1; down <= 1; down++) {
                for (int right = -1; right <= 1; right++) {
                    if (down != 0 || right != 0) addMoves(found, board, white, place, down, right);
                }
            }
        }
        return found;
    }

    interface Put {
        void accept(int row, int column, char here, char there);
    }

    static void addMoves(List<char[]> found, char[] board, boolean white, int place, int down, int right) {
        int row = place / 9, column = place % 9, far = 1;
        char piece = board[place], kind = Character.toUpperCase(piece), next = at(board, row + down, column + right);
        boolean isStraight = down * right == 0;
        Put put = (toRow, toColumn, here, there) -> {
            char[] moved = board.clone();
            moved[place] = here;
            moved[9 * toRow + toColumn] = there;
            found.add(moved);
        };
        if (kind == 'Z' && down == (white ? -1 : 1)) {
            if (next == '.' || isPrey(board, white, row + down, column + right)) put.accept(row + down, column + right, '.', piece);
            if (next == '.' && isPrey(board, white, row + 2 * down, column + 2 * right))
                put.accept(row + 2 * down, column + 2 * right, '.', piece);
        } else if (kind == 'B' || kind == 'G') {
            if (next == '.' || isPrey(board, white, row + down, column + right)) put.accept(row + down, column + right, '.', piece);
            if (next == '.' && kind == 'B') put.accept(row + down, column + right, piece, '#');
        } else if (kind == 'J') {
            if (next == '.') put.accept(row + down, column + right, '.', piece);
            else if (isOf(white, next) && next != piece) put.accept(row + down, column + right, next, piece);
            else if (isOf(!white, next) && Character.toUpperCase(next) != 'G')
                put.accept(row + down, column + right, piece, white ? Character.toUpperCase(next) : Character.toLowerCase(next));
        } else if (kind == 'M' && isStraight || kind == 'D') {
            for (; at(board, row + far * down, column + far * right) == '.'; far++)
                put.accept(row + far * down, column + far * right, '.', piece);
            boolean takes = isPrey(board, white, row + far * down, column + far * right);
            if (kind == 'M' ? takes || at(board, row + far * down, column + far * right) == '#' : takes && far > 1)
                put.accept(row + far * down, column + far * right, '.', piece);
        } else if (kind == 'C') {
            if (isStraight && next == '.') put.accept(row + down, column + right, '.', piece);
            far = isStraight ? 3 : 2;
            if (isPrey(board, white, row + far * down, column + far * right))
                put.accept(row + far * down, column + far * right, piece, '.');
        } else if (kind == 'S' && isStraight) {
            for (int side = -1; side <= 1; side += 2) {
                int toRow = row + 2 * down + side * right, toColumn = column + 2 * right + side * down;
                if (at(board, toRow, toColumn) == '.' || isPrey(board, white, toRow, toColumn))
                    put.accept(toRow, toColumn, '.', piece);
            }
        }
    }

    // Filler

    static void fill() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String mine = lines.readLine().startsWith("$$$ exec p1") ? "@a" : "$s", line;
        while ((line = lines.readLine()) != null) {
            String[] rows = new String[height(line)];
            lines.readLine();
            for (int row = 0; row < rows.length; row++) rows[row] = lines.readLine().substring(4);
            String[] piece = new String[height(lines.readLine())];
            for (int row = 0; row < piece.length; row++) piece[row] = lines.readLine();
            System.out.println(place(rows, piece, mine));
        }
    }

    static int height(String line) {
        return Integer.parseInt(line.split(" ")[2].replace(":", ""));
    }

    static String place(String[] rows, String[] piece, String mine) {
        for (int y = -piece.length; y < rows.length; y++) {
            for (int x = -piece[0].length(); x < rows[0].length(); x++) {
                if (fits(rows, piece, mine, x, y)) return x + " " + y;
            }
        }
        return "0 0";
    }

    static boolean fits(String[] rows, String[] piece, String mine, int x, int y) {
        int own = 0;
        for (int down = 0; down < piece.length; down++) {
            for (int right = 0; right < piece[0].length(); right++) {
                if (piece[down].charAt(right) != 'O') continue;
                int row = y + down, column = x + right;
                if (row < 0 || row >= rows.length || column < 0 || column >= rows[0].length()) return false;
                if (mine.indexOf(rows[row].charAt(column)) >= 0) own++;
                else if (rows[row].charAt(column) != '.') return false;
            }
        }
        return own == 1;
    }
}
