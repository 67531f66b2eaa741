// Plays by the first legal move: one of Advance with "white IN OUT" or "black IN OUT", without a word those of Filler.
using System;
using System.Collections.Generic;
using System.IO;

class Bot {
    static void Main(string[] words) {
        if (words.Length == 3) Move(words[0] == "white", words[1], words[2]);
        else Fill();
    }

    // Advance

    static void Move(bool white, string given, string answer) {
        string text = "";
        foreach (string line in File.ReadAllLines(given)) text += line.Trim();
        foreach (char[] board in Boards(text.ToCharArray(), white)) {
            if (!IsSafe(board, white)) continue;
            string moved = "";
            for (int row = 0; row < 9; row++) moved += new string(board, 9 * row, 9) + "\n";
            File.WriteAllText(answer, moved);
            return;
        }
        Environment.Exit(1);
    }

    static bool IsSafe(char[] board, bool white) {
        foreach (char[] next in Boards(board, !white))
            if (Array.IndexOf(next, white ? 'G' : 'g') < 0) return false;
        return true;
    }

    static char At(char[] board, int row, int column) {
        return row < 0 || row > 8 || column < 0 || column > 8 ? ' ' : board[9 * row + column];
    }

    static bool IsOf(bool white, char piece) {
        return white ? char.IsUpper(piece) : char.IsLower(piece);
    }

    static bool IsPrey(char[] board, bool white, int row, int column) {
        char guard = white ? 's' : 'S';
        return IsOf(!white, At(board, row, column)) && At(board, row - 1, column) != guard && At(board, row + 1, column) != guard
            && At(board, row, column - 1) != guard && At(board, row, column + 1) != guard;
    }

    // All boards after a move, also those in which the General is in danger.
    static List<char[]> Boards(char[] board, bool white) {
        var found = new List<char[]>();
        for (int place = 0; place < 81; place++) {
            if (!IsOf(white, board[place])) continue;
            for (int down = -1; down <= 1; down++)
                for (int right = -1; right <= 1; right++)
                    if (down != 0 || right != 0) AddMoves(found, board, white, place, down, right);
        }
        return found;
    }

    static void AddMoves(List<char[]> found, char[] board, bool white, int place, int down, int right) {
        int row = place / 9, column = place % 9, far = 1;
        char piece = board[place], kind = char.ToUpper(piece), next = At(board, row + down, column + right);
        bool isStraight = down * right == 0;
        Action<int, int, char, char> put = (toRow, toColumn, here, there) => {
            var moved = (char[])board.Clone();
            moved[place] = here;
            moved[9 * toRow + toColumn] = there;
            found.Add(moved);
        };
        if (kind == 'Z' && down == (white ? -1 : 1)) {
            if (next == '.' || IsPrey(board, white, row + down, column + right)) put(row + down, column + right, '.', piece);
            if (next == '.' && IsPrey(board, white, row + 2 * down, column + 2 * right))
                put(row + 2 * down, column + 2 * right, '.', piece);
        } else if (kind == 'B' || kind == 'G') {
            if (next == '.' || IsPrey(board, white, row + down, column + right)) put(row + down, column + right, '.', piece);
            if (next == '.' && kind == 'B') put(row + down, column + right, piece, '#');
        } else if (kind == 'J') {
            if (next == '.') put(row + down, column + right, '.', piece);
            else if (IsOf(white, next) && next != piece) put(row + down, column + right, next, piece);
            else if (IsOf(!white, next) && char.ToUpper(next) != 'G')
                put(row + down, column + right, piece, white ? char.ToUpper(next) : char.ToLower(next));
        } else if (kind == 'M' && isStraight || kind == 'D') {
            for (; At(board, row + far * down, column + far * right) == '.'; far++)
                put(row + far * down, column + far * right, '.', piece);
            bool takes = IsPrey(board, white, row + far * down, column + far * right);
            if (kind == 'M' ? takes || At(board, row + far * down, column + far * right) == '#' : takes && far > 1)
                put(row + far * down, column + far * right, '.', piece);
        } else if (kind == 'C') {
            if (isStraight && next == '.') put(row + down, column + right, '.', piece);
            far = isStraight ? 3 : 2;
            if (IsPrey(board, white, row + far * down, column + far * right))
                put(row + far * down, column + far * right, piece, '.');
        } else if (kind == 'S' && isStraight) {
            foreach (int side in new[] { -1, 1 }) {
                int toRow = row + 2 * down + side * right, toColumn = column + 2 * right + side * down;
                if (At(board, toRow, toColumn) == '.' || IsPrey(board, white, toRow, toColumn)) put(toRow, toColumn, '.', piece);
            }
        }
    }

    // Filler

    static void Fill() {
        string mine = Console.ReadLine().StartsWith("$$$ exec p1") ? "@a" : "$s", line;
        while ((line = Console.ReadLine()) != null) {
            int height = int.Parse(line.Split(' ')[2].TrimEnd(':'));
            Console.ReadLine();
            var rows = new string[height];
            for (int row = 0; row < height; row++) rows[row] = Console.ReadLine().Substring(4);
            var piece = new string[int.Parse(Console.ReadLine().Split(' ')[2].TrimEnd(':'))];
            for (int row = 0; row < piece.Length; row++) piece[row] = Console.ReadLine();
            Console.WriteLine(Place(rows, piece, mine));
        }
    }

    static string Place(string[] rows, string[] piece, string mine) {
        for (int y = -piece.Length; y < rows.Length; y++)
            for (int x = -piece[0].Length; x < rows[0].Length; x++)
                if (Fits(rows, piece, mine, x, y)) return x + " " + y;
        return "0 0";
    }

    static bool Fits(string[] rows, string[] piece, string mine, int x, int y) {
        int own = 0;
        for (int down = 0; down < piece.Length; down++)
            for (int right = 0; right < piece[0].Length; right++) {
                if (piece[down][right] != 'O') continue;
                int row = y + down, column = x + right;
                if (row < 0 || row >= rows.Length || column < 0 || column >= rows[0].Length) return false;
                if (mine.IndexOf(rows[row][column]) >= 0) own++;
                else if (rows[row][column] != '.') return false;
            }
        return own == 1;
    }
}
